/** The two headers of every request, for the test requests of this page. */
import type { Signal } from "@preact/signals"
import { useState } from "preact/hooks"
import { apiKey, authorization } from "../state/State.ts"
import { invalidBy, Problem } from "./Problem.tsx"
import { type Filled, keyOf } from "./Request.ts"

interface SecretProps {
  readonly name: string
  readonly value: Signal<string>
  readonly problem: string | undefined
}

const Secret = ({ name, problem, value }: SecretProps) => {
  const [shown, setShown] = useState(false)
  const about = { id: `problem-${name}`, problem }
  return (
    <>
      <div class="secret">
        <label>
          <span>{name}</span>
          <input
            type="text"
            class={shown ? "" : "masked"}
            autocomplete="off"
            spellcheck={false}
            placeholder="NONE"
            value={value.value}
            {...invalidBy(about)}
            onInput={({ currentTarget }) => (value.value = currentTarget.value)}
          />
        </label>
        <button type="button" aria-pressed={shown} onClick={() => setShown(!shown)}>
          {shown ? "Hide" : "Show"}
          <span class="unseen"> {name}</span>
        </button>
      </div>
      <Problem {...about} />
    </>
  )
}

const nothing: Filled = {}

export const Credentials = ({ problems = nothing }: { readonly problems?: Filled }) => {
  const problemOf = (name: string) => problems[keyOf({ in: "header", name })]
  return (
    <div class="secrets">
      <Secret name="Authorization" value={authorization} problem={problemOf("Authorization")} />
      <Secret name="X-Api-Key" value={apiKey} problem={problemOf("X-Api-Key")} />
    </div>
  )
}
