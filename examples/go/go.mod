module plaitexamples

go 1.21

require plait v0.0.0

replace plait => ../../bindings/go
