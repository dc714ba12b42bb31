module ikigai/hosts/go

go 1.19
