using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Table;

namespace Cache.Server.Security;

/// <summary>A pattern of keys and the access that it allows.</summary>
/// <param name="Text">The glob-style pattern; a char is a byte.</param>
/// <param name="Access">The allowed access.</param>
internal readonly record struct AclKeyPattern(string Text, AclKeyAccess Access)
{
    private readonly byte[] _pattern = System.Text.Encoding.Latin1.GetBytes(Text);

    public bool Allows(ReadOnlySpan<byte> key, AclKeyAccess access) =>
        (access & ~Access) == 0 && new GlobPattern(_pattern).IsMatch(key);

    public override string ToString() => Access switch
    {
        AclKeyAccess.All => "~" + Text,
        AclKeyAccess.Read => "%R~" + Text,
        _ => "%W~" + Text,
    };
}
