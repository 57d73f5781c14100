/** Every command of the CLI. */
import type { Commands } from "../shared/CommandLine.ts"
import { accounts, fees, ledger, rates } from "./MoneyCommands.ts"
import { backup, demo, doctor, migrate, queue, restore, sandbox, secrets } from "./OperationCommands.ts"
import { dlq, notifications, webhooks } from "./WebhookCommands.ts"
import { keys, orgs, tokens, users } from "./PeopleCommands.ts"
import { listen, logs, open, trigger, whoami } from "./DeveloperCommands.ts"
import { payments, providers } from "./PaymentCommands.ts"

const program = `Operate Corridor from the machine it runs on, whether or not the server is running, or by its API.

Commands read the same environment as the server: DATA_DIR, DATABASE_URL, CORRIDOR_MODE and so on.

With --url URL and --api-key KEY or --token JWT (or CORRIDOR_URL, CORRIDOR_API_KEY, CORRIDOR_TOKEN) a command calls that server's API instead, as the caller that the credential names.

Every command takes --json, for output that programs read.`

export const commands: Commands = {
  groups: {
    "": program,
    logs: "The audit log and the events.",
    orgs: "Organisations.",
    users: "Users and their memberships.",
    keys: "API keys.",
    tokens: "Tokens of users, for trying out user-facing calls.",
    rates: "Base exchange rates, from which what an organisation is quoted follows.",
    fees: "What organisations are charged for their payments: nothing, unless a rule says so.",
    ledger: "The double-entry ledger behind every payment and account.",
    payments: "Payments: list, show, resolve by hand, give back.",
    accounts: "Virtual accounts: list, freeze, unfreeze.",
    providers: "Which provider serves which corridor, and through whose account.",
    "providers credentials": "The credentials that open a configuration's own account at its provider.",
    webhooks: "The endpoints that events are sent to.",
    dlq: "The dead letter queue: webhook deliveries that failed for good.",
    notifications: "The outbox of the sandbox: messages that are mailed where SMTP_URL is set.",
    secrets: "What the database keeps sealed under the master key.",
    sandbox: "The built-in sandbox."
  },
  all: [
    demo,
    doctor,
    listen,
    trigger,
    logs,
    open,
    whoami,
    migrate,
    orgs,
    users,
    keys,
    tokens,
    rates,
    fees,
    ledger,
    queue,
    payments,
    accounts,
    providers,
    webhooks,
    dlq,
    notifications,
    secrets,
    backup,
    restore,
    sandbox
  ].flat()
}
