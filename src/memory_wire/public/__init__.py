"""What everybody may read. One noun a module; asked by the service's table of functions and by nobody else."""
