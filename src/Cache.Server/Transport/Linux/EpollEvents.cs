using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace Cache.Server.Transport.Linux;

/// <summary>An array of the kernel's <c>struct epoll_event</c>: 32 bits of events, 64 bits of the caller's.</summary>
/// <remarks>
/// <code>
///            0        4            12          16
///  x64       | events | data       |                     packed: the kernel keeps the layout of 32-bit programs
///  others    | events | (padding)  | data from 8 to 16 |
/// </code>
/// </remarks>
internal sealed class EpollEvents(int count)
{
    // A single event for epoll_ctl, in the same layout.
    public const int EventBytesMax = 16;

    private static readonly bool _packed = RuntimeInformation.ProcessArchitecture == Architecture.X64;

    private static readonly int _dataOffset = _packed ? 4 : 8;
    private static readonly int _stride = _packed ? 12 : 16;

    // Pinned for ever, since the wait for events would pin it nearly always.
    private readonly byte[] _bytes = GC.AllocateArray<byte>(count * EventBytesMax, pinned: true);

    public int CountMax => count;

    public ref byte First => ref _bytes[0];

    public (uint Events, ulong Data) this[int index]
    {
        get
        {
            var item = _bytes.AsSpan(index * _stride, _stride);
            return (BinaryPrimitives.ReadUInt32LittleEndian(item),
                BinaryPrimitives.ReadUInt64LittleEndian(item[_dataOffset..]));
        }
    }

    public static void Write(Span<byte> destination, uint events, ulong data)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(destination, events);
        BinaryPrimitives.WriteUInt64LittleEndian(destination[_dataOffset..], data);
    }
}
