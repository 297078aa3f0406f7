using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using Microsoft.Build.Framework;
using Microsoft.Build.Utilities;

/// <summary>
/// Takes what is not public out of a file of XML documentation: the compiler writes there whatever has a comment.
/// </summary>
/// <remarks>
/// What is public stands in the reviewed PublicApi.txt: a type a line, then its members. A member is known by its name
/// and the count of its parameters. Compiled by MSBuild when a package is made.
/// </remarks>
public class KeepPublicDocumentation : Task
{
    public string Documentation { get; set; }

    public string PublicApi { get; set; }

    public override bool Execute()
    {
        var known = new HashSet<string>();
        foreach (string line in File.ReadLines(PublicApi))
            known.Add(line.StartsWith(" ", StringComparison.Ordinal) ? Member(line.Trim()) : Type(line));
        var document = XDocument.Load(Documentation, LoadOptions.PreserveWhitespace);
        var others = document.Descendants("member")
            .Where(member => !known.Contains(Key((string)member.Attribute("name")))).ToList();
        foreach (var member in others)
        {
            (member.PreviousNode as XText)?.Remove();
            member.Remove();
        }

        if (others.Count > 0)
            document.Save(Documentation, SaveOptions.DisableFormatting);
        return true;
    }

    // sealed class Cache.Core.CacheStore : System.IDisposable
    private static string Type(string line) =>
        Regex.Match(line, @"(?:class|struct|record|enum|interface|delegate \S+) ([\w.]+)").Groups[1].Value + "/0";

    // Cache.Core.WriteStatus Cache.Core.CacheStore.Set(System.ReadOnlySpan<byte> key, …)
    private static string Member(string line)
    {
        int open = line.IndexOf('(');
        string head = open < 0 ? Regex.Replace(line, @" (\{|=).*$", "") : line.Substring(0, open);
        string name = Regex.Match(head.TrimEnd('>'), @"([\w.]+)(<[\w, ]*)?$").Groups[1].Value;
        string[] parts = name.Split('.');
        if (open >= 0 && parts.Length > 1 && parts[parts.Length - 1] == parts[parts.Length - 2])
            name = name.Substring(0, name.LastIndexOf('.') + 1) + "#ctor";
        return name + "/" + (open < 0 ? 0 : Count(line.Substring(open + 1, Closing(line, open) - open - 1)));
    }

    // M:Cache.Core.CacheStore.TryGet``1(System.ReadOnlySpan{System.Byte},``0@)
    private static string Key(string id)
    {
        string text = id.Substring(2);
        int open = text.IndexOf('(');
        string name = Regex.Replace(open < 0 ? text : text.Substring(0, open), "`+[0-9]+", "");
        return name + "/" + (open < 0 ? 0 : Count(text.Substring(open + 1, Closing(text, open) - open - 1)));
    }

    private static int Closing(string text, int open)
    {
        int depth = 0;
        for (int i = open; i < text.Length; i++)
        {
            depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
            if (depth == 0)
                return i;
        }

        return text.Length;
    }

    private static int Count(string parameters)
    {
        if (parameters.Trim().Length == 0)
            return 0;
        int depth = 0;
        int count = 1;
        foreach (char c in parameters)
        {
            depth += "(<[{".IndexOf(c) >= 0 ? 1 : ")>]}".IndexOf(c) >= 0 ? -1 : 0;
            count += c == ',' && depth == 0 ? 1 : 0;
        }

        return count;
    }
}
