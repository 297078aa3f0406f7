using System.Text;
using Cache.Core;

namespace InProcess;

/// <summary>Collects members and their scores as text.</summary>
internal struct TextSink() : IScoredMemberSink
{
    private readonly StringBuilder _text = new();

    public readonly string Text => _text.ToString();

    public readonly bool IsFull => false;

    public readonly void Begin(long count)
    {
    }

    public readonly void Take(scoped ReadOnlySpan<byte> member, double score) =>
        _text.Append(_text.Length == 0 ? "" : ", ").Append($"{Encoding.UTF8.GetString(member)} with {score}");
}
