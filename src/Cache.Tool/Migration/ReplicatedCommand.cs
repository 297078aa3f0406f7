using System.Text;

namespace Cache.Tool.Migration;

/// <summary>A command of a source's stream; valid until the next one is read.</summary>
/// <param name="bytes">The request, as it came.</param>
/// <param name="name">Its name, in capitals.</param>
/// <param name="key">Its first argument; empty: none.</param>
internal readonly ref struct ReplicatedCommand(ReadOnlySpan<byte> bytes, string name, ReadOnlySpan<byte> key)
{
    public ReadOnlySpan<byte> Bytes { get; } = bytes;

    public string Name { get; } = name;

    public ReadOnlySpan<byte> Key { get; } = key;

    public string Argument => Encoding.Latin1.GetString(Key);
}
