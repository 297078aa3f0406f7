using System.Buffers.Binary;
using System.IO.Compression;
using Cache.Bench.Subjects;

namespace Cache.Bench.Traces;

/// <summary>A trace of requests: gzip of little-endian 32-bit ids, one per request.</summary>
internal static class TraceFile
{
    public static uint[] Read(string path)
    {
        using var unpacked = new MemoryStream();
        using (var gzip = new GZipStream(File.OpenRead(path), CompressionMode.Decompress))
            gzip.CopyTo(unpacked);
        if (unpacked.Length == 0 || unpacked.Length % sizeof(uint) != 0)
            throw new WrongAnswerException($"{path} holds {unpacked.Length} bytes; that is no list of 32-bit ids.");
        var bytes = unpacked.GetBuffer().AsSpan(0, (int)unpacked.Length);
        var ids = new uint[bytes.Length / sizeof(uint)];
        for (int i = 0; i < ids.Length; i++)
            ids[i] = BinaryPrimitives.ReadUInt32LittleEndian(bytes[(i * sizeof(uint))..]);
        return ids;
    }
}
