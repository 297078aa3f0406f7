namespace Cache.Server.Protocol;

/// <summary>Where an argument lies in the bytes of its request, counted from the request's first byte.</summary>
internal readonly record struct ArgumentRange(int Offset, int Length);
