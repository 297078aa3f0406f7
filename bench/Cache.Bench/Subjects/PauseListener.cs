using System.Diagnostics.Tracing;

namespace Cache.Bench.Subjects;

/// <summary>Times the spans in which the runtime had all threads suspended, whatever the reason.</summary>
internal sealed class PauseListener : EventListener
{
    private const EventKeywords GcKeyword = (EventKeywords)1;
    private const int SuspendBegin = 9;
    private const int RestartEnd = 3;

    private readonly Lock _gate = new();
    private DateTime _suspendedAt;
    private bool _isSuspended;
    private double _worstMs;
    private int _count;

    public double WorstMs
    {
        get
        {
            lock (_gate)
                return _worstMs;
        }
    }

    public int Count
    {
        get
        {
            lock (_gate)
                return _count;
        }
    }

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name == "Microsoft-Windows-DotNETRuntime")
            EnableEvents(eventSource, EventLevel.Informational, GcKeyword);
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        lock (_gate)
        {
            if (eventData.EventId == SuspendBegin)
            {
                _suspendedAt = eventData.TimeStamp;
                _isSuspended = true;
            }
            else if (eventData.EventId == RestartEnd && _isSuspended)
            {
                _isSuspended = false;
                _count++;
                _worstMs = Math.Max(_worstMs, (eventData.TimeStamp - _suspendedAt).TotalMilliseconds);
            }
        }
    }
}
