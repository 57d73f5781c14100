/** Every command of the CLI. */
import type { Commands } from "../shared/CommandLine.ts"
import { serverCommands } from "./ServerCommands.ts"
import { peopleCommands } from "./PeopleCommands.ts"
import { moneyCommands } from "./MoneyCommands.ts"
import { paymentCommands } from "./PaymentCommands.ts"
import { webhookCommands } from "./WebhookCommands.ts"
import { ruleCommands } from "./RuleCommands.ts"

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
    kyb: "Applications of organisations, which people approve or reject.",
    rates: "Base exchange rates, from which what an organisation is quoted follows.",
    fees: "What organisations are charged for their payments: nothing, unless a rule says so.",
    reserves: "What of payins is held back, and for how long.",
    ledger: "The double-entry ledger behind every payment and account.",
    payments: "Payments: list, show, resolve by hand, refund.",
    accounts: "Virtual accounts: list, freeze, unfreeze.",
    rules: "Limits on payments by phone, card, e-mail, address or beneficiary.",
    lists: "Block and allow lists.",
    providers: "Which provider serves which corridor, and through whose account.",
    "providers credentials": "The credentials that open a configuration's own account at its provider.",
    webhooks: "The endpoints that events are sent to.",
    dlq: "The dead letter queue: webhook deliveries that failed for good.",
    notifications: "The outbox of the sandbox: messages that are mailed where SMTP_URL is set.",
    secrets: "Secrets in the database, encrypted under the master key.",
    sandbox: "The built-in sandbox."
  },
  all: [...peopleCommands, ...moneyCommands, ...paymentCommands, ...ruleCommands, ...webhookCommands, ...serverCommands]
}
