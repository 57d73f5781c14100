/** The two headers of every request, for the test requests of this page. */
import type { Signal } from "@preact/signals"
import { useState } from "preact/hooks"
import { apiKey, authorization } from "../state/State.ts"

const Secret = ({ name, value }: { readonly name: string; readonly value: Signal<string> }) => {
  const [shown, setShown] = useState(false)
  return (
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
          onInput={({ currentTarget }) => (value.value = currentTarget.value)}
        />
      </label>
      <button type="button" aria-pressed={shown} onClick={() => setShown(!shown)}>
        {shown ? "Hide" : "Show"}
        <span class="unseen"> {name}</span>
      </button>
    </div>
  )
}

export const Credentials = () => (
  <div class="secrets">
    <Secret name="Authorization" value={authorization} />
    <Secret name="X-Api-Key" value={apiKey} />
  </div>
)
