namespace Cache.Server.Commands.Arguments;

/// <summary>The keys of a request that outlive it.</summary>
internal static class WaitedKeys
{
    /// <summary>Copies of keys.</summary>
    public static byte[][] Of(RequestSlice keys)
    {
        byte[][] copies = new byte[keys.Count][];
        for (int i = 0; i < copies.Length; i++)
            copies[i] = keys.GetKey(i).ToArray();
        return copies;
    }
}
