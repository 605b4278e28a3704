// Nothing is called by name: the library is preloaded, and takes the place of functions of libc.
