/** Output at the start: a banner in the terminal or a log line in JSON, and one sentence for a failed start. */
import { Effect, Cause, Config, LogLevel, Option } from "effect"
import { Settings } from "../platform/config/Settings.ts"
import type { SandboxCredentials } from "./Sandbox.ts"
import { isDatabaseFailure } from "../domain/Failure.ts"
import { logging } from "../platform/observability/Logging.ts"
import { redactText } from "../platform/observability/Redaction.ts"

/** Shell command for a payin that the built-in simulator completes. */
const firstPayment = (publicUrl: string, key: string): string => {
  const payment = {
    ...{ amount: 1500, currency: "KES", target_amount: 1500, target_currency: "KES" },
    ...{ payment_method: "mobile_money", direction: "payin", country: "KE" },
    payer_details: { name: "Wanjiru Kamau", email: "wanjiru@example.com", phone: "+254712345678" },
    mobile_money_details: { provider: "mpesa", phone_number: "+254712345678" }
  }
  const headers = ["Authorization: NONE", `X-Api-Key: ${key}`, "Content-Type: application/json"]
  const given = headers.map((header) => `-H '${header}'`).join(" ")
  return `curl -s ${publicUrl}/v1/payments-init/initiate ${given} -d '${JSON.stringify(payment)}'`
}

/** `fakes`: line about fakes of third parties, if any. */
export const banner = (credentials: SandboxCredentials | undefined, fakes: string | undefined) =>
  Effect.flatMap(Settings, ({ dataDir, logFormat, mode, publicUrl, version }) => {
    if (logFormat === "json") {
      const about = { mode, url: publicUrl, version, ...(fakes && { fakes }) }
      return Effect.annotateLogs(Effect.logInfo("Corridor is up"), about)
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
        "Paste this to make a payment:",
        `  ${firstPayment(publicUrl, org.api_key)}`
      )
    }
    return Effect.sync(() => void process.stdout.write(`\n${lines.join("\n")}\n\n`))
  })

/** In live mode cards, tokens and callbacks go to this address: without TLS everybody on the way reads them. */
export const warnOfPublicUrl = Effect.flatMap(Settings, ({ mode, publicUrl }) =>
  mode === "live" && !publicUrl.startsWith("https:")
    ? Effect.logWarning(`PUBLIC_URL is ${publicUrl}, which is not encrypted: set it to an https:// address.`)
    : Effect.void
)

/** Read separately, since the settings themselves may be invalid. */
const isJson = Config.string("LOG_FORMAT").pipe(
  Effect.map((format) => format.toLowerCase() === "json"),
  Effect.orElseSucceed(() => false)
)

const say = (text: string, level: LogLevel.LogLevel = LogLevel.Fatal): Effect.Effect<void> =>
  Effect.flatMap(isJson, (json) =>
    json
      ? Effect.provide(Effect.logWithLevel(level, text), logging({ level, format: "json" }))
      : Effect.sync(() => void process.stderr.write(`corridor: ${redactText(text)}\n`))
  )

export const explainFailure = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.tapErrorCause(effect, (cause) => {
    if (Cause.isInterruptedOnly(cause)) return Effect.void
    const failure = Option.getOrUndefined(Cause.failureOption(cause))
    return say(
      failure instanceof Error && !isDatabaseFailure(failure)
        ? failure.message
        : Cause.pretty(cause, { renderErrorCause: true })
    )
  })

/** Writes Node's warnings and uncaught exceptions in the configured log format. */
export const logNodeWarnings = Effect.sync(() => {
  process.removeAllListeners("warning")
  process.on("warning", (warning) => Effect.runFork(say(`${warning.name}: ${warning.message}`, LogLevel.Warning)))
  process.on("uncaughtException", (error) => {
    Effect.runSync(say(error.stack ?? String(error)))
    process.exit(1)
  })
})
