/** What the terminal shows once the service is up; whoever reads JSON gets a line of the log. */
import { Effect } from "effect"
import { Settings } from "../platform/config/Settings.ts"
import type { SandboxCredentials } from "./sandbox/Sandbox.ts"

/** `fakes`: which third parties are spoken to that are none. */
export const banner = (credentials: SandboxCredentials | undefined, fakes: string | undefined) =>
  Effect.flatMap(Settings, ({ dataDir, logFormat, mode, publicUrl, version }) => {
    if (logFormat === "json") {
      return Effect.annotateLogs(Effect.logInfo("Corridor is up"), {
        mode,
        url: publicUrl,
        version,
        ...(fakes === undefined ? {} : { fakes })
      })
    }
    const org = credentials?.orgs[0]
    const lines = [
      `Corridor ${version} (${mode})`,
      `  API        ${publicUrl}/v1`,
      `  Reference  ${publicUrl}/docs`,
      `  Console    ${publicUrl}/console`
    ]
    if (fakes !== undefined) lines.push(`  Fakes      ${fakes}`)
    if (org !== undefined) {
      lines.push(
        `  API key    ${org.api_key}   (${org.name}; all credentials: ${dataDir}/sandbox.json)`,
        "",
        "Try it:",
        `  curl -s ${publicUrl}/v1/public/api-keys -H 'Authorization: NONE' -H 'X-Api-Key: ${org.api_key}'`
      )
    }
    return Effect.sync(() => void process.stdout.write(`\n${lines.join("\n")}\n\n`))
  })
