using System.Text.Json;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Doctor;

namespace Cache.Dashboard.Data;

/// <summary>What the doctor has found, the worst first.</summary>
internal static class DoctorData
{
    public static void Write(Utf8JsonWriter json, ServerState server)
    {
        json.WriteStartArray("findings");
        foreach (var finding in DoctorRules.Find(DoctorReading.Of(server)))
        {
            json.WriteStartObject();
            json.WriteString("rule", finding.Rule);
            json.WriteString("severity", finding.Severity.ToString());
            json.WriteString("sentence", finding.Sentence);
            json.WriteString("advice", finding.Advice);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }
}
