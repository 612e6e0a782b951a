// Package group keeps interrupts of the terminal away from child processes. A
// terminal sends Ctrl-C to all processes in its foreground: a child in the same group
// would die, and look as if it had failed, before bench knows why. In a group of its
// own it is bench that ends it.
package group
