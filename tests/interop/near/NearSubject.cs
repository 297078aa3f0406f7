using System.Buffers;
using Cache.Near;

namespace NearRig;

internal sealed class NearSubject(NearCache near) : ISubject
{
    public ValueTask<byte[]?> GetAsync(string key) => near.GetAsync(key);

    public ValueTask<byte[]?> GetLocalAsync(string key)
    {
        var local = new ArrayBufferWriter<byte>();
        return ValueTask.FromResult(near.TryGetLocal(key, local) ? local.WrittenSpan.ToArray() : null);
    }

    public ValueTask SetAsync(string key, byte[] value) => near.SetAsync(key, value);
}
