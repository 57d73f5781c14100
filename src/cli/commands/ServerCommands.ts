/** `corridor demo`, `doctor`, `listen`, `trigger`, `logs`, `open`, `whoami`, `migrate`, `secrets`, `backup`, `restore` and `sandbox`. */
import { spawn } from "node:child_process"
import { Effect, Option, Redacted } from "effect"
import type { EventType } from "../../domain/EventTypes.ts"
import { ApiClient, call } from "../shared/ApiClient.ts"
import {
  apiCommand,
  argument,
  choice,
  commandOn,
  databaseCommand,
  eventList,
  flag,
  maybe,
  oneOf,
  option,
  optional,
  type Parameter,
  withDefault
} from "../shared/Command.ts"
import { Target } from "../shared/CommandTarget.ts"
import { properties } from "../shared/Table.ts"
import { report, Streams } from "../shared/Terminal.ts"

const command = commandOn("server")
const backupActions = () => import("../database/LocalBackup.ts")

/** The events that a command can cause; others take a person, another service or a failure. */
const triggerable = [
  "payment.completed",
  "payment.processing",
  "transaction.updated",
  "payment.failed",
  "payment.canceled",
  "payment.refunded",
  "virtual_account.deposit",
  "virtual_account.withdrawal",
  "virtual_account.frozen",
  "virtual_account.unfrozen"
] as const satisfies ReadonlyArray<EventType>

export type Triggerable = (typeof triggerable)[number]

const org = optional("org", "ORG", "Of this organisation; that of the credential by default.")
const count = optional("count", "N", "End after so many; without it only Ctrl-C ends it.")

const keyText = optional(
  "new-key",
  "KEY",
  "The new master key; CORRIDOR_MASTER_KEY is still the old one. Better set CORRIDOR_NEW_MASTER_KEY instead: other users of this machine can see the arguments of a command."
)
const newKey: Parameter<Option.Option<Redacted.Redacted>> = {
  ...keyText,
  decode: (given) => Option.map(keyText.decode(given), Redacted.make)
}

export const listenOptions = {
  forwardTo: option("forward-to", "URL", "Where events go, such as http://localhost:4000/webhooks."),
  events: eventList("Which, such as payment.completed or payment.*, with commas between them; all by default."),
  secret: optional("secret", "SECRET", "Sign with this secret (whsec_…) instead of a new one at every start."),
  org,
  count
}

export const logOptions = {
  lines: withDefault("10", option("lines", "N", "How many entries of before to begin with: 0 to 100, 10 by default.")),
  only: maybe(
    choice("only", ["audit", "events"], "Who changed what (audit), or what happened (events); both by default.")
  ),
  noFollow: flag("no-follow", "End after those of before."),
  org,
  count
}

const programs: Readonly<Record<string, readonly [string, ...Array<string>]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""]
}

/** The browser outlives the command; a machine without one is no failure, since the address is shown. */
const browse = (address: string) =>
  Effect.async<boolean>((resume) => {
    const [program, ...words] = programs[process.platform] ?? ["xdg-open"]
    const child = spawn(program!, [...words, address], { detached: true, stdio: "ignore" })
    child.once("error", () => resume(Effect.succeed(false)))
    child.once("spawn", () => {
      child.unref()
      resume(Effect.succeed(true))
    })
  })

const opened = (page: "console" | "docs") =>
  Effect.gen(function* () {
    const { address } = yield* Target
    const { rootOf } = yield* Effect.promise(() => import("../../client/RequestRules.ts"))
    const { Settings } = yield* Effect.promise(() => import("../../platform/config/Settings.ts"))
    const root = Option.isSome(address)
      ? rootOf(address.value)
      : (yield* Effect.provide(Settings, Settings.layer)).publicUrl.replace(/\/+$/, "")
    const url = `${root}/${page}`
    const { watched } = yield* Streams
    const opened = watched && (yield* browse(url))
    return { data: { url, opened }, text: opened ? `Opened ${url}` : url }
  })

export const serverCommands = [
  databaseCommand(
    "demo",
    "Show a running sandbox at work: payments, a refund, accounts, escrow, crypto, a link, signed webhooks, and the ledger.",
    {
      examples: ["corridor demo"],
      takes: {},
      run: (input) => import("../demo/Demo.ts").then(({ show }) => show(input))
    }
  ),
  databaseCommand("doctor", "Check machine, settings, database and server, and say what to do about what is wrong.", {
    examples: ["corridor doctor", "corridor doctor --live"],
    takes: { live: flag("live", "Say what is still missing for live mode, whether it is on yet or not.") },
    run: (input) => import("../doctor/Doctor.ts").then(({ examineAll }) => examineAll(input))
  }),
  apiCommand("listen", "Receive events without a public address, and forward them, signed, to a program here.", {
    examples: [
      "corridor listen --forward-to http://localhost:4000/webhooks",
      "corridor listen --forward-to localhost:4000/webhooks --events payment.completed,payment.failed"
    ],
    takes: listenOptions,
    run: (input) => import("../actions/LogActions.ts").then(({ listen }) => listen(input))
  }),
  command("trigger", "Make an event happen in a sandbox, by real payments with test values.", {
    examples: ["corridor trigger payment.completed", "corridor trigger payment.refunded --json"],
    takes: { event: oneOf(triggerable, argument("EVENT", "The type of event.")), org },
    *run({ event, org }) {
      const { trigger } = yield* Effect.promise(() => import("../actions/TriggerAction.ts"))
      return yield* trigger(event, org)
    }
  }),
  apiCommand("logs tail", "Follow the audit log and the events of an organisation.", {
    examples: ["corridor logs tail", "corridor logs tail --only audit --lines 50 --no-follow"],
    takes: logOptions,
    run: (input) => import("../actions/LogActions.ts").then(({ tail }) => tail(input))
  }),
  apiCommand("open", "Open the console in a browser; where there is none, only say its address.", {
    examples: ["corridor open", "corridor open docs --url https://pay.example"],
    takes: {
      page: withDefault(
        "console",
        oneOf(["console", "docs"], argument("PAGE", "The console, which is the default, or the API reference."))
      )
    },
    run: async (input) => report(input.json, opened(input.page))
  }),
  command("whoami", "Show the server, the caller that the credential names, and its rights.", {
    examples: ["corridor whoami", "corridor whoami --url https://pay.example --token JWT"],
    takes: { org },
    *run({ org }) {
      const { root } = yield* ApiClient
      const { data } = yield* call("session", "me", { urlParams: { org_id: Option.getOrUndefined(org) } })
      const { organization } = data
      const text = properties([
        ["Server", `${root} (${data.mode})`],
        [
          "As",
          data.credential === "user" ? data.email : `an API key of ${data.email ?? data.user_id ?? "an unknown user"}`
        ],
        ["Role", data.role],
        ["Organisation", organization === null ? "every one" : `${organization.name} ${organization.org_id}`],
        // Every caller has the access `any`.
        ["May", data.access.filter((right) => right !== "any").join(", ") || "only what every caller may"]
      ])
      return { data: { server: root, ...data }, text }
    }
  }),
  databaseCommand("migrate", "Bring the database schema up to date (a start of the server does it too).", {
    examples: ["corridor migrate"],
    takes: {
      acceptServer: flag(
        "accept-server",
        "Take this PostgreSQL cluster and timeline for the right one: after pg_upgrade, a move or a restore."
      )
    },
    run: (input) => backupActions().then(({ bringUpToDate }) => bringUpToDate(input))
  }),
  databaseCommand(
    "secrets rotate",
    "Re-encrypt every stored secret under a new master key; then restart the servers with it.",
    {
      examples: ['CORRIDOR_NEW_MASTER_KEY="$(openssl rand -hex 32)" corridor secrets rotate'],
      takes: { newKey },
      run: (input) => import("../database/LocalSandbox.ts").then(({ rotate }) => rotate(input))
    }
  ),
  databaseCommand(
    "backup",
    "Write a consistent copy of the database to a file, while the server runs. Nothing else has to be installed.",
    {
      examples: ["corridor backup corridor.backup"],
      takes: { file: argument("FILE", "Where to: a file that is not there yet.") },
      run: (input) => backupActions().then(({ backup }) => backup(input))
    }
  ),
  databaseCommand(
    "restore",
    "Fill a new, empty database from a backup of this version or an older one, bring it up to date and check its ledger.",
    {
      examples: ["corridor restore corridor.backup"],
      takes: { file: argument("FILE", "What `corridor backup` has written.") },
      run: (input) => backupActions().then(({ restore }) => restore(input))
    }
  ),
  databaseCommand(
    "sandbox reset",
    "Erase all data of the sandbox and start over, beside a running server too (sandbox mode only).",
    {
      examples: ["corridor sandbox reset --yes"],
      takes: { yes: flag("yes", "Do not ask. A script is never asked.") },
      run: (input) => import("../database/LocalSandbox.ts").then(({ reset }) => reset(input))
    }
  )
]
