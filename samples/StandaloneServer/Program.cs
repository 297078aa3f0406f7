using Cache.Tool.Standalone;

// The stand-alone server from a clone: what "cache server" of the package Cache.Tool is.
return await ServerProgram.RunAsync(args).ConfigureAwait(false);
