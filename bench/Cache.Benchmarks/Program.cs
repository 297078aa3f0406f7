using BenchmarkDotNet.Running;
using Cache.Benchmarks;

BenchmarkSwitcher.FromAssembly(typeof(TryGetBenchmarks).Assembly).Run(args);
