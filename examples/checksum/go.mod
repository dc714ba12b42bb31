module example.com/checksum-tool

go 1.19
