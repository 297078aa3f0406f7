namespace Cache.Server.Statistics;

/// <summary>A rare event: a limit that was met, a change of the configuration, a long pause.</summary>
/// <param name="Id">Its number, from 0.</param>
/// <param name="AtUnixMs">When it happened.</param>
/// <param name="Kind">Its kind, one of <see cref="EventKinds"/>.</param>
/// <param name="Detail">A sentence, without secrets, keys and values.</param>
/// <param name="Client">The address of the client that it is about; empty: none.</param>
internal sealed record ServerEvent(long Id, long AtUnixMs, string Kind, string Detail, string Client = "")
{
    /// <summary>The sentence, behind the client's address.</summary>
    public string Text => Client.Length == 0 ? Detail : $"{Client}: {Detail}";
}
