def files(api): return {}
