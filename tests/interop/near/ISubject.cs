namespace NearRig;

/// <summary>What is checked, or writes: a cache of one process.</summary>
internal interface ISubject
{
    ValueTask<byte[]?> GetAsync(string key);

    /// <summary>What is here and counts.</summary>
    ValueTask<byte[]?> GetLocalAsync(string key);

    ValueTask SetAsync(string key, byte[] value);
}
