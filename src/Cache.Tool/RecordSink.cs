using Cache.Durability.Format;

namespace Cache.Tool;

/// <param name="record">A record; valid during the call.</param>
/// <param name="value">Its whole value.</param>
internal delegate void RecordSink(in RecordView record, ReadOnlySpan<byte> value);
