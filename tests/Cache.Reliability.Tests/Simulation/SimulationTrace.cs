using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Cache.Reliability.Tests.Simulation;

/// <summary>A hash over all that happened, in its order: two runs alike have the same.</summary>
internal sealed class SimulationTrace : IDisposable
{
    private readonly IncrementalHash _hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);

    public string Hash => Convert.ToHexString(_hash.GetCurrentHash());

    public void Note(char what, long number, ReadOnlySpan<byte> bytes = default)
    {
        Span<byte> head = stackalloc byte[sizeof(ushort) + sizeof(long)];
        BinaryPrimitives.WriteUInt16LittleEndian(head, what);
        BinaryPrimitives.WriteInt64LittleEndian(head[sizeof(ushort)..], number);
        _hash.AppendData(head);
        _hash.AppendData(bytes);
    }

    public void Dispose() => _hash.Dispose();
}
