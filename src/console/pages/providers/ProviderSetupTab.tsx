import { useState } from "preact/hooks"
import { type Answer, call } from "../../api/ConsoleApi.ts"
import type { Problem } from "../../api/ApiResponse.ts"
import { Badge } from "../../components/Badge.tsx"
import { Button, CopyButton } from "../../components/Button.tsx"
import { Table } from "../../components/DataTable.tsx"
import { Loading, ProblemNote } from "../../components/Loading.tsx"
import { Card } from "../../components/PageFrame.tsx"
import { DetailList } from "../../components/Values.tsx"
import { problemFrom, useLoad } from "../../state/LoadHooks.ts"
import { providerName } from "./ProviderNames.ts"

type Setup = Answer<"providerConfigs", "setups">["data"][number]
type Check = Answer<"providerConfigs", "test">["data"]
type State = Setup["settings"][number]["state"]

const states = {
  set: ["good", "Set"],
  stored: ["good", "Stored by set-up"],
  optional: ["calm", "Optional"],
  missing: ["warn", "Missing"]
} as const satisfies Record<State, readonly [tone: string, words: string]>

const listed = (all: ReadonlyArray<string> | null): string | null => (all === null ? null : all.join(", ") || "None")

const CheckResult = ({ check }: { readonly check: Check }) => (
  <div class="stack" role="status">
    <p>
      <Badge status={check.passed ? "active" : "failed"} words={check.passed ? "Passed" : "Failed"} />
    </p>
    <DetailList
      facts={[
        ["Account", check.name],
        ["Mode", check.mode],
        ["Balances", listed(check.balances)],
        ["Rights", listed(check.rights)],
        ["Provider said", check.message]
      ]}
    />
  </div>
)

/** Tests the platform's account. */
const TestAccount = ({ provider }: { readonly provider: Setup["provider"] }) => {
  const [busy, setBusy] = useState(false)
  const [check, setCheck] = useState<Check>()
  const [problem, setProblem] = useState<Problem>()
  const test = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      setCheck((await call("providerConfigs", "test", { path: { provider } })).data)
    } catch (error) {
      setProblem(problemFrom(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <h3>Test</h3>
      <div class="stack">
        <p>
          <Button
            icon="check"
            busy={busy}
            label={`Test the account at ${providerName(provider)}`}
            onClick={() => void test()}
          >
            Test the account
          </Button>
        </p>
        {problem !== undefined && <ProblemNote problem={problem} />}
        {check !== undefined && <CheckResult check={check} />}
      </div>
    </>
  )
}

const CallbackAddress = ({ setup }: { readonly setup: Setup }) => {
  const { callback_url, callbacks, provider, registers } = setup
  return (
    <>
      <h3>Callbacks</h3>
      <DetailList
        facts={[
          [
            "Address",
            <span class="with-copy">
              <code class="address">{callback_url}</code>
              <CopyButton text={callback_url} what={`the callback address for ${providerName(provider)}`} />
            </span>
          ],
          ["Enter at", callbacks === null ? "Nowhere: every order names this address." : callbacks.at],
          ["Events", callbacks?.events.join(", ")],
          ["Its secret", callbacks?.secrets.join(", ")],
          ["By command", registers !== null && `corridor providers setup ${provider} registers ${registers}.`]
        ]}
      />
    </>
  )
}

const SetupCard = ({ setup }: { readonly setup: Setup }) => {
  const { is_set, keys, provider, settings } = setup
  return (
    <details class="card" open={is_set}>
      <summary class="queue-head">
        <h2>{providerName(provider)}</h2>
        <Badge status={is_set ? "active" : "canceled"} words={is_set ? "Set up" : "Not set up"} />
      </summary>
      <h3>Keys</h3>
      <ul>
        {keys.map((key) => (
          <li key={key}>{key}</li>
        ))}
      </ul>
      <h3>Settings</h3>
      <Table
        caption={`Settings of ${providerName(provider)}`}
        rows={settings}
        keyOf={({ name }) => name}
        columns={[
          { name: "Setting", show: ({ name }) => <code class="nowrap">{name}</code> },
          {
            name: "State",
            show: ({ state }) => <Badge status={state} tone={states[state][0]} words={states[state][1]} />
          },
          { name: "About", below: true, show: ({ about }) => about }
        ]}
      />
      <CallbackAddress setup={setup} />
      {is_set && <TestAccount provider={provider} />}
    </details>
  )
}

/** Accounts of the platform: what each provider needs, and whether its account works. */
export const ProviderSetups = () => {
  const loaded = useLoad((get) => get("providerConfigs", "setups", {}), [])
  return (
    <div class="stack">
      <Card
        title="Accounts of the platform"
        note="Settings are read at the start of the server. Values are never shown."
      >
        <p class="muted">Accounts of single configurations are set under Configurations.</p>
      </Card>
      <Loading loaded={loaded} lines={10}>
        {({ data }) => data.map((setup) => <SetupCard key={setup.provider} setup={setup} />)}
      </Loading>
    </div>
  )
}
