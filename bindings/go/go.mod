module plait

go 1.21
