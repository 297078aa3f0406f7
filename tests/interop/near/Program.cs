// usage: NearRig [--rounds N] [single] [cluster] [sentinel] [hybrid] [client PORT] [measure]
//        Near caches before redis-server, under faults, with writers and a checker of the promise (docs/scale-out.md).
//        Without names: single, cluster, sentinel, hybrid. A PORT is one of ours, for the client and hybrid caches.
//        Ends with "N passed, N failed".
using System.Globalization;
using NearRig;

int rounds = 1;
List<string> names = [];
int? clientPort = null;
for (int i = 0; i < args.Length; i++)
{
    if (args[i] == "--rounds")
        rounds = int.Parse(args[++i], CultureInfo.InvariantCulture);
    else if (args[i] == "client")
        clientPort = int.Parse(args[++i], CultureInfo.InvariantCulture);
    else
        names.Add(args[i]);
}

if (names.Count == 0 && clientPort is null)
    names = ["single", "cluster", "sentinel", "hybrid"];
var report = new RigReport();
if (clientPort is { } port)
{
    await report.RunAsync("client", () => ClientConformance.RunAsync(port, report));
    await report.RunAsync("hybrid, ours", () => HybridScenario.RunAgainstAsync(port, report));
}

foreach (string name in names)
{
    await report.RunAsync(name, () => name switch
    {
        "single" => SingleScenario.RunAsync(rounds, report),
        "cluster" => ClusterScenario.RunAsync(rounds, report),
        "sentinel" => SentinelScenario.RunAsync(rounds, report),
        "hybrid" => HybridScenario.RunAsync(rounds, report),
        "measure" => Measurements.RunAsync(report),
        _ => throw new ArgumentException($"There is no scenario {name}."),
    });
}

return report.Finish();
