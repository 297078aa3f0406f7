namespace Cache.Server.Statistics;

/// <summary>A rare event: a limit that was met, a change of the configuration, a long pause.</summary>
/// <param name="Id">Its number, from 0.</param>
/// <param name="AtUnixMs">When it happened.</param>
/// <param name="Kind">Its kind, one of <see cref="EventKinds"/>.</param>
/// <param name="Text">A sentence, without secrets, keys and values.</param>
internal sealed record ServerEvent(long Id, long AtUnixMs, string Kind, string Text);
