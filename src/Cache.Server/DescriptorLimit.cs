using System.Diagnostics;
using Cache.Server.Transport.Linux;

namespace Cache.Server;

/// <summary>The number of descriptors, hence connections, that the system allows this process.</summary>
/// <remarks>
/// The runtime cannot continue without descriptors: it needs two to start a thread and one to load an assembly, and
/// ends the process if it gets none. So the number of clients is kept below the limit, and connections wait if other
/// users of descriptors come near it.
/// </remarks>
internal static class DescriptorLimit
{
    /// <summary>
    /// About 70 for an idle server, 64 for connections that are being refused, and some for the host.
    /// </summary>
    internal const int NotForClients = 192;

    /// <summary>The descriptors that connections leave to the process; the same number as in Redis.</summary>
    internal const int Reserve = 32;

    /// <summary>The most clients that the limit allows, at least one; unbounded if it is unknown.</summary>
    public static int ReadClientsMax() => ClientsMaxOf(Read());

    /// <summary>Whether no more than the reserve is left of the present limit.</summary>
    public static bool IsReserveTouched()
    {
        ulong limit = Read();
        if (limit == ulong.MaxValue)
            return false;

        // The system assigns the lowest free number: all below it are taken.
        int lowest = LinuxCalls.EventDescriptor(0, LinuxCalls.CloseOnExec);
        if (lowest < 0)
            return true;
        _ = LinuxCalls.Close(lowest);
        return (ulong)lowest + Reserve >= limit;
    }

    internal static int ClientsMaxOf(ulong limit) =>
        limit > int.MaxValue ? int.MaxValue : Math.Max(1, (int)limit - NotForClients);

    private static ulong Read()
    {
        if (!OperatingSystem.IsLinux())
            return ulong.MaxValue;
        var limit = default(LinuxCalls.ResourceLimit);
        int result = LinuxCalls.GetResourceLimit(LinuxCalls.DescriptorLimit, ref limit);
        Debug.Assert(result == 0, "It has no way to fail but wrong arguments.");
        return result == 0 ? limit.Current : ulong.MaxValue;
    }
}
