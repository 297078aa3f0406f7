using System.Buffers.Text;
using Microsoft.Win32.SafeHandles;

namespace Cache.Bench.Subjects;

/// <summary>The memory that this process occupies on Linux, read without allocating: garbage would count too.</summary>
internal sealed class ResidentPages : IDisposable
{
    // "size resident shared …" in pages.
    private readonly SafeFileHandle _file = File.OpenHandle("/proc/self/statm");

    public long ReadBytes()
    {
        Span<byte> line = stackalloc byte[128];
        line = line[..RandomAccess.Read(_file, line, fileOffset: 0)];
        var resident = line[(line.IndexOf((byte)' ') + 1)..];
        return Utf8Parser.TryParse(resident, out long pages, out _) ? pages * Environment.SystemPageSize : 0;
    }

    public void Dispose() => _file.Dispose();
}
