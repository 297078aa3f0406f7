using System.Globalization;
using Cache.Protocol;

namespace Cache.Client;

/// <summary>What the servers of a cluster say of who has which slots.</summary>
internal static class ClusterReplies
{
    /// <summary>Reads the reply of CLUSTER SLOTS.</summary>
    /// <param name="reply">The reply.</param>
    /// <param name="asked">The server that was asked; a primary without a host is at its host.</param>
    /// <exception cref="InvalidDataException">It is no such reply.</exception>
    public static List<SlotRange> ReadSlots(in RespReply reply, ServerAddress asked)
    {
        List<SlotRange> ranges = [];
        foreach (var item in reply.Items)
        {
            if (item.Items is not [{ Type: RespType.Integer } first, { Type: RespType.Integer } last, { } primary, ..]
                || primary.Items is not [var host, { Type: RespType.Integer } port, ..]
                || first.Number < 0 || last.Number < first.Number || last.Number >= KeySlot.Count
                || port.Number is < 1 or > ushort.MaxValue)
            {
                throw new InvalidDataException($"{asked}, CLUSTER SLOTS: a range of the reply is none");
            }

            string name = host.Text is "" or "?" ? asked.Host : host.Text;
            string id = primary.Items.Length > 2 ? primary.Items[2].Text : "";
            ranges.Add(new SlotRange(
                (int)first.Number, (int)last.Number, id, new ServerAddress(name, (int)port.Number)));
        }

        return ranges;
    }

    /// <summary>Reads "MOVED 3999 127.0.0.1:6381", and ASK likewise.</summary>
    /// <param name="error">The error reply.</param>
    /// <param name="asked">The server that sent it; one without a host means its host.</param>
    /// <param name="isAsk">Whether the slot is on its way: only this one request goes there.</param>
    /// <param name="address">Where the key is.</param>
    public static bool TryReadRedirection(
        in RespReply error, ServerAddress asked, out bool isAsk, out ServerAddress address)
    {
        isAsk = false;
        address = default;
        if (!error.IsError || error.Text.Split(' ') is not [("MOVED" or "ASK") and var word, var slot, var place])
            return false;
        isAsk = word == "ASK";
        if (place.StartsWith(':'))
            place = asked.Host + place;
        return int.TryParse(slot, NumberStyles.None, CultureInfo.InvariantCulture, out int number)
            && number < KeySlot.Count
            && ServerAddress.TryParse(place, out address);
    }
}
