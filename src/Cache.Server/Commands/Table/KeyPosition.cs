namespace Cache.Server.Commands.Table;

/// <summary>An argument that is a key.</summary>
/// <param name="Index">Its index in the request.</param>
/// <param name="Flags">The command's access to it, in Redis's words.</param>
internal readonly record struct KeyPosition(int Index, string[] Flags);
