using System.Diagnostics;
using Cache.Server.Transport.Linux;

namespace Cache.Server;

/// <summary>How many descriptors, hence connections, the system lets this process have.</summary>
/// <remarks>
/// The runtime itself cannot go on without descriptors: it needs two to start a thread and one to load an assembly, and
/// ends the process where it does not get them. So the number of clients is kept below the limit, and where other
/// causes come near it, connections wait.
/// </remarks>
internal static class DescriptorLimit
{
    /// <summary>About 70 that an idle server holds, 64 connections being refused, and some for the host.</summary>
    internal const int NotForClients = 192;

    /// <summary>What connections leave to the process; as many as Redis keeps.</summary>
    internal const int Reserve = 32;

    /// <summary>The most clients that the limit leaves room for, at least one; no bound where it is unknown.</summary>
    public static int ReadClientsMax() => ClientsMaxOf(Read());

    /// <summary>Whether no more than the reserve is left, by the limit that holds at present.</summary>
    public static bool IsReserveTouched()
    {
        ulong limit = Read();
        if (limit == ulong.MaxValue)
            return false;

        // The system hands out the lowest number that is free: all below it are taken.
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
