/* A C program that opens the library argv[1] and calls Smoke in it. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int (*smoke)(void);
	void *library;

	if (argc != 2)
		return 2;
	library = dlopen(argv[1], RTLD_NOW);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	*(void **)&smoke = dlsym(library, "Smoke");
	return smoke ? smoke() : 2;
}
