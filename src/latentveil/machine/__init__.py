"""The machine: devices, threads, processes, and engines for more than one machine."""
