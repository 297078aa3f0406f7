namespace Cache.Core.Tests.Compression;

/// <summary>A second reading of the description of the format: slow, and stricter about the end of a block.</summary>
internal static class ReferenceLz4
{
    /// <exception cref="InvalidDataException">It is no block as an encoder may write it.</exception>
    public static byte[] Decode(byte[] block, byte[] prefix)
    {
        List<byte> value = [.. prefix];
        int lastMatch = 0, at = 0;
        while (true)
        {
            int token = Next();
            int literals = Length(token >> 4);
            for (int i = 0; i < literals; i++)
                value.Add((byte)Next());
            if (at == block.Length)
            {
                bool hasMatch = value.Count - prefix.Length > literals;
                Check(!hasMatch || literals >= 5, "The last five bytes are not literals.");
                Check(!hasMatch || value.Count - lastMatch >= 12, "A match begins in the last twelve bytes.");
                return [.. value.Skip(prefix.Length)];
            }

            int offset = Next() | Next() << 8;
            int match = Length(token & 15) + 4;
            Check(offset > 0 && offset <= value.Count, "A match before the beginning.");
            lastMatch = value.Count;
            for (int i = 0; i < match; i++)
                value.Add(value[^offset]);
        }

        int Next()
        {
            Check(at < block.Length, "The block ends too early.");
            return block[at++];
        }

        int Length(int length)
        {
            for (int next = length == 15 ? 255 : 0; next == 255; length += next)
                next = Next();
            return length;
        }
    }

    private static void Check(bool condition, string message)
    {
        if (!condition)
            throw new InvalidDataException(message);
    }
}
