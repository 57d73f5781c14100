/** Beside an operation: how it is called in each language, what is sent, and what comes back. */
import { useState } from "preact/hooks"
import type { OperationEntry } from "../document/Contents.ts"
import { type Example, examplesOf } from "../document/Examples.ts"
import { language } from "../state/State.ts"
import { Code } from "./Code.tsx"

interface ChoiceProps {
  readonly label: string
  readonly titles: ReadonlyArray<string>
  readonly chosen: number
  readonly choose: (at: number) => void
}

const Choice = ({ choose, chosen, label, titles }: ChoiceProps) =>
  titles.length < 2 ? (
    <span class="only">{titles[0]}</span>
  ) : (
    <select aria-label={label} value={chosen} onChange={({ currentTarget }) => choose(Number(currentTarget.value))}>
      {titles.map((title, at) => (
        <option key={title} value={at}>
          {title}
        </option>
      ))}
    </select>
  )

interface ExampleChoiceProps {
  readonly label: string
  readonly examples: ReadonlyArray<Example>
  readonly chosen: number
  readonly choose: (at: number) => void
}

const ExampleChoice = ({ choose, chosen, examples, label }: ExampleChoiceProps) => (
  <Choice label={label} titles={examples.map(({ title }) => title)} chosen={chosen} choose={choose} />
)

const Languages = ({ entry }: { readonly entry: OperationEntry }) => {
  const samples = entry.about["x-codeSamples"] ?? []
  const chosen = samples.find(({ label }) => label === language.value) ?? samples[0]
  if (chosen === undefined) return null
  return (
    <div class="card">
      <div class="bar" role="group" aria-label="Language of the sample">
        {samples.map(({ label }) => (
          <button
            key={label}
            type="button"
            aria-pressed={label === chosen.label}
            onClick={() => (language.value = label)}
          >
            {label}
          </button>
        ))}
      </div>
      <Code label={`${entry.title} by ${chosen.label}`} text={chosen.source} />
    </div>
  )
}

interface RequestExampleProps {
  readonly entry: OperationEntry
  readonly chosen: number
  readonly choose: (at: number) => void
}

const RequestExample = ({ choose, chosen, entry }: RequestExampleProps) => {
  const examples = examplesOf(entry.about.requestBody)
  const shown = examples[chosen]
  if (shown === undefined) return null
  return (
    <div class="card">
      <div class="bar">
        <h4>{entry.kind === "event" ? "Payload" : "Request body"}</h4>
        <ExampleChoice label="Example of the request" examples={examples} chosen={chosen} choose={choose} />
      </div>
      <Code label={`Body: ${shown.title}`} text={shown.text} />
    </div>
  )
}

const ResponseExamples = ({ entry }: { readonly entry: OperationEntry }) => {
  const statuses = Object.entries(entry.about.responses)
  const [status, setStatus] = useState(0)
  const [chosen, setChosen] = useState(0)
  const [code, response] = statuses[status] ?? []
  const examples = examplesOf(response)
  const shown = examples[chosen]
  const turnTo = (at: number) => {
    setStatus(at)
    setChosen(0)
  }
  return (
    <div class="card">
      <div class="bar">
        <h4>Answer</h4>
        <Choice label="Status of the answer" titles={statuses.map(([one]) => one)} chosen={status} choose={turnTo} />
        <ExampleChoice label="Example of the answer" examples={examples} chosen={chosen} choose={setChosen} />
      </div>
      {shown === undefined ? (
        <p class="empty">No body</p>
      ) : (
        <Code label={`Answer ${code}: ${shown.title}`} text={shown.text} />
      )}
    </div>
  )
}

export const Samples = (props: RequestExampleProps) => (
  <>
    <Languages entry={props.entry} />
    <RequestExample {...props} />
    {props.entry.kind === "operation" && <ResponseExamples entry={props.entry} />}
  </>
)
