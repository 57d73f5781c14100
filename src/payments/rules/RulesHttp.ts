/** Handlers of the endpoints for rules and lists. */
import { Effect } from "effect"
import type { AddListEntry, RulesApi, RuleTermsBody } from "../../contract/api/RulesApi.ts"
import { answer, type Handlers } from "../../platform/http/Handlers.ts"
import { makeCamelPages, makePages } from "../../platform/pagination/Pagination.ts"
import type { Window } from "../../platform/database/Query.ts"
import { Rules, type RulesPermit } from "./Rules.ts"
import type { EntryFilter, ListEntry, StoredRule } from "./RuleStore.ts"
import { RuleTrial } from "./RuleTrial.ts"

const shown = ({ max_amount, ...rule }: StoredRule) => ({
  ...rule,
  max_amount: max_amount === null ? null : max_amount.toShown(),
  currency: max_amount === null ? null : max_amount.currency
})

interface Permitted {
  readonly permit: RulesPermit
}

interface Named {
  readonly path: { readonly rule_name: string }
}

interface Terms {
  readonly payload: typeof RuleTermsBody.Type
}

export const rulesHandlers = Effect.gen(function* () {
  const rules = yield* Rules
  const trial = yield* RuleTrial
  const pages = yield* makePages
  const camelPages = yield* makeCamelPages

  /** The same for rules of an organisation and of the platform: the permit says whose. */
  const list = ({ permit }: Permitted) => answer("Rules", rules.list(permit), (stored) => stored.map(shown))
  const set = ({ path, payload, permit }: Permitted & Named & Terms) =>
    answer("Rule set", rules.set(permit, path.rule_name, payload), shown)
  const remove = ({ path, permit }: Permitted & Named) => rules.remove(permit, path.rule_name)
  const attempt = ({ payload, permit }: Permitted & Terms) =>
    answer("Tried on the last 30 days", trial.attempt(permit, payload))
  const addEntry = ({ payload, permit }: Permitted & { readonly payload: typeof AddListEntry.Type }) =>
    answer("Added to the list", rules.addEntry(permit, payload))
  const entriesOf = ({ permit, urlParams }: Permitted & { readonly urlParams: EntryFilter }) => {
    const filters = { list: urlParams.list, subject: urlParams.subject }
    return {
      message: "List entries",
      filters,
      fetch: (window: Window) => rules.entries(permit, filters, window),
      idOf: ({ entry_id }: ListEntry) => entry_id
    }
  }

  return {
    list,
    set,
    remove,
    try: attempt,
    entries: (request) => camelPages(request, entriesOf(request)),
    addEntry,
    removeEntry: ({ path, permit }) => rules.removeEntry(permit, path.entry_id),
    platformRules: list,
    setPlatformRule: set,
    removePlatformRule: remove,
    tryPlatformRule: attempt,
    platformEntries: (request) => pages(request, entriesOf(request)),
    addPlatformEntry: addEntry,
    removePlatformEntry: ({ path, permit }) => rules.removeEntry(permit, path.platform_entry_id)
  } satisfies Handlers<typeof RulesApi>
})
