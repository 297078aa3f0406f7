using System.Globalization;
using System.Text;
using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Commands.Administration;

/// <summary>What the server's memory is used for, at one moment.</summary>
/// <remarks>
/// Used memory is what the store counts, clients included, and what <c>maxmemory</c> bounds. The process needs more for
/// the runtime, code and objects: the resident memory when the server started, less the store's at that time. So
/// fragmentation compares resident memory with the store and this base, not with the store alone, which may have a few
/// kilobytes.
/// </remarks>
internal sealed record MemoryFigures
{
    private const int Percent = 100;
    private const long Megabyte = 1 << 20;

    // Less data says nothing about ratios: Redis's own bound.
    private const long JudgedBytesMin = 5 * Megabyte;

    // Beyond these, something is worth a sentence: Redis's own bounds, but for the peak, which is shown as it is.
    private const double PeakRatioMax = 1.5;
    private const double FragmentationRatioMax = 1.4;
    private const long FragmentationBytesMin = 10 * Megabyte;
    private const long BytesPerClientMax = 200 * 1024;

    public long UsedBytes { get; private init; }

    public long PeakBytes { get; private init; }

    public long ResidentBytes { get; private init; }

    public long LimitBytes { get; private init; }

    /// <summary>Of the empty store.</summary>
    public long StartBytes { get; private init; }

    public long ClientBytes { get; private init; }

    public int Clients { get; private init; }

    public long Keys { get; private init; }

    /// <summary>What the process takes besides the store: the runtime, code and objects.</summary>
    public long BaseBytes { get; private init; }

    public long OverheadBytes => Math.Min(UsedBytes, StartBytes + ClientBytes);

    public long DatasetBytes => UsedBytes - OverheadBytes;

    public double DatasetPercent =>
        Math.Min(Percent, (double)Percent * DatasetBytes / Math.Max(1, UsedBytes - StartBytes));

    public double PeakPercent => (double)Percent * UsedBytes / Math.Max(1, PeakBytes);

    public long BytesPerKey => Keys == 0 ? 0 : Math.Max(0, UsedBytes - StartBytes) / Keys;

    public double OverheadRatio => ResidentBytes / (double)Math.Max(1, UsedBytes);

    public double FragmentationRatio => ResidentBytes / (double)ExpectedBytes;

    public long FragmentationBytes => ResidentBytes - ExpectedBytes;

    private long ExpectedBytes => Math.Max(1, UsedBytes + BaseBytes);

    public static MemoryFigures Of(ServerState server)
    {
        var store = server.Store.GetStatistics();
        return new MemoryFigures
        {
            UsedBytes = store.MemoryBytes,
            PeakBytes = store.MemoryPeakBytes,
            ResidentBytes = Environment.WorkingSet,
            LimitBytes = store.MemoryLimitBytes,
            StartBytes = server.StoreBytesAtStart,
            ClientBytes = server.ClientMemory.Bytes,
            Clients = server.Clients.Count,
            Keys = store.Count,
            BaseBytes = server.ProcessBaseBytes,
        };
    }

    /// <summary>What is unusual, in sentences.</summary>
    public string Judge()
    {
        if (UsedBytes < JudgedBytesMin)
            return "The store has less than 5 MB: too little to judge.\n";
        var text = new StringBuilder();
        if (PeakBytes > UsedBytes * PeakRatioMax)
            text.Append(CultureInfo.InvariantCulture, $"The peak was {PeakBytes} bytes, {UsedBytes} are used now.\n");
        if (FragmentationRatio > FragmentationRatioMax && FragmentationBytes > FragmentationBytesMin)
        {
            text.Append(CultureInfo.InvariantCulture, $"{FragmentationBytes} bytes of resident memory are neither ")
                .Append("the store's nor the runtime's at the start: objects of the application, or memory that the ")
                .Append("runtime has not given back. MEMORY PURGE asks for it.\n");
        }

        if (Clients > 0 && ClientBytes / Clients > BytesPerClientMax)
        {
            text.Append(CultureInfo.InvariantCulture, $"Clients hold {ClientBytes / Clients} bytes each on average: ")
                .Append("long requests, or replies that are not read. CLIENT LIST shows them (qbuf, obl).\n");
        }

        return text.Length == 0 ? "Nothing unusual.\n" : text.ToString();
    }
}
