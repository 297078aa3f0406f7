namespace Cache.Server.Commands.Hashes;

/// <summary>What of a hash's fields is replied.</summary>
internal enum FieldParts
{
    Both,
    Names,
    Values,
}
