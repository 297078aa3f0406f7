using System.Text.Json;

namespace Cache.Server.Commands.Table;

/// <summary>Arrays of texts in the command table's source.</summary>
internal static class JsonTexts
{
    public static string[] ReadStrings(this JsonElement array)
    {
        string[] texts = new string[array.GetArrayLength()];
        for (int i = 0; i < texts.Length; i++)
            texts[i] = array[i].GetString()!;
        return texts;
    }
}
