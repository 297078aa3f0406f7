using Cache.Tool.Client;

namespace Cache.Tool.Live;

/// <summary>What each client of a load does.</summary>
/// <param name="Address">The server.</param>
/// <param name="Time">How long.</param>
/// <param name="Pipeline">Requests sent at once.</param>
/// <param name="Keys">Different keys.</param>
/// <param name="Size">Bytes of a value.</param>
/// <param name="Writes">Percentage of SETs.</param>
internal sealed record BenchPlan(ServerAddress Address, TimeSpan Time, int Pipeline, int Keys, int Size, int Writes);
