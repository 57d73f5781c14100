/** `corridor listen`, `trigger`, `logs`, `open` and `whoami`: calls of a server's API for developers. */
import {
  apiCommand,
  argument,
  choice,
  eventList,
  flag,
  maybe,
  oneOf,
  option,
  optional,
  withDefault
} from "../shared/Command.ts"
import { triggerable } from "../shared/Triggerable.ts"

const serverActions = () => import("../actions/ServerActions.ts")

const org = optional("org", "ORG", "Of this organisation; that of the credential by default.")
const count = optional("count", "N", "End after so many; without it only Ctrl-C ends it.")

export const listen = apiCommand(
  "listen",
  "Receive events without a public address, and forward them, signed, to a program here.",
  {
    examples: [
      "corridor listen --forward-to http://localhost:4000/webhooks",
      "corridor listen --forward-to localhost:4000/webhooks --events payment.completed,payment.failed"
    ],
    takes: {
      forwardTo: option("forward-to", "URL", "Where events go, such as http://localhost:4000/webhooks."),
      events: eventList("Which, such as payment.completed or payment.*, with commas between them; all by default."),
      secret: optional("secret", "SECRET", "Sign with this secret (whsec_…) instead of a new one at every start."),
      org,
      count
    },
    run: (input) => import("../actions/ListenAction.ts").then(({ listen }) => listen(input))
  }
)

export const trigger = apiCommand("trigger", "Make an event happen in a sandbox, by real payments with test values.", {
  examples: ["corridor trigger payment.completed", "corridor trigger payment.refunded --json"],
  takes: { event: oneOf(triggerable, argument("EVENT", "The type of event.")), org },
  run: (input) => import("../actions/TriggerAction.ts").then(({ trigger }) => trigger(input))
})

export const logs = apiCommand("logs tail", "Follow the audit log and the events of an organisation.", {
  examples: ["corridor logs tail", "corridor logs tail --only audit --lines 50 --no-follow"],
  takes: {
    lines: withDefault(
      "10",
      option("lines", "N", "How many entries of before to begin with: 0 to 100, 10 by default.")
    ),
    only: maybe(
      choice("only", ["audit", "events"], "Who changed what (audit), or what happened (events); both by default.")
    ),
    noFollow: flag("no-follow", "End after those of before."),
    org,
    count
  },
  run: (input) => import("../actions/LogActions.ts").then(({ tail }) => tail(input))
})

export const open = apiCommand("open", "Open the console in a browser; where there is none, only say its address.", {
  examples: ["corridor open", "corridor open docs --url https://pay.example"],
  takes: {
    page: withDefault(
      "console",
      oneOf(["console", "docs"], argument("PAGE", "The console, which is the default, or the API reference."))
    )
  },
  run: (input) => serverActions().then(({ open }) => open(input))
})

export const whoami = apiCommand("whoami", "Show the server, the caller that the credential names, and its rights.", {
  examples: ["corridor whoami", "corridor whoami --url https://pay.example --token JWT"],
  takes: { org },
  run: (input) => serverActions().then(({ whoami }) => whoami(input))
})
