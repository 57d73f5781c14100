/** Sends an operation to the running server, with what the reader fills in, and shows the answer. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { OperationEntry } from "../document/Contents.ts"
import { examplesOf } from "../document/Examples.ts"
import { shownValue } from "../document/ExactJson.ts"
import { followed } from "../document/Schemas.ts"
import type { Parameter } from "../document/Shape.ts"
import type { Reference } from "../state/State.ts"
import { Code } from "./Code.tsx"
import { Credentials } from "./Credentials.tsx"
import { Dialog } from "./Dialog.tsx"
import { Method } from "./Method.tsx"
import { invalidBy, Problem } from "./Problem.tsx"
import { addressOf, type Answer, type Filled, isSigned, keyOf, problemsIn, send } from "./Request.ts"

interface InputProps {
  readonly reference: Reference
  readonly parameter: Parameter
  readonly value: string
  readonly problem: string | undefined
  readonly set: (value: string) => void
}

const ParameterInput = ({ parameter, problem, reference, set, value }: InputProps) => {
  const about = { id: `problem-${parameter.in}-${parameter.name}`, problem }
  const { schema } = followed(reference.document.components.schemas, parameter.schema)
  const label = (
    <span>
      {parameter.name} <small>{parameter.required === true ? `${parameter.in}, required` : parameter.in}</small>
    </span>
  )
  return (
    <div>
      <label>
        {label}
        {schema.enum === undefined ? (
          <input
            type="text"
            autocomplete="off"
            spellcheck={false}
            placeholder={shownValue(schema.examples?.[0] ?? schema.format ?? "")}
            value={value}
            {...invalidBy(about)}
            onInput={({ currentTarget }) => set(currentTarget.value)}
          />
        ) : (
          <select value={value} {...invalidBy(about)} onChange={({ currentTarget }) => set(currentTarget.value)}>
            <option value="">not sent</option>
            {schema.enum.map((one) => (
              <option key={String(one)}>{shownValue(one)}</option>
            ))}
          </select>
        )}
      </label>
      <Problem {...about} />
    </div>
  )
}

const Answered = ({ answer }: { readonly answer: Answer }) => {
  const ref = useRef<HTMLElement>(null)
  useEffect(() => ref.current?.scrollIntoView({ block: "nearest" }), [answer])
  return (
    <section ref={ref} class="answer" aria-label="Answer">
      <p role="status">
        <strong class={answer.good ? "good" : "bad"}>{answer.status}</strong> <span>in {answer.millis} ms</span>
      </p>
      {answer.body !== "" && <Code label="Body of the answer" text={answer.body} />}
      <details>
        <summary>Headers of the answer</summary>
        <Code label="Headers of the answer" text={answer.headers} />
      </details>
    </section>
  )
}

interface TestRequestProps {
  readonly reference: Reference
  readonly entry: OperationEntry
  /** Which example of the body the reader has before them. */
  readonly chosen: number
  readonly close: () => void
}

export const TestRequest = ({ chosen, close, entry, reference }: TestRequestProps) => {
  const examples = examplesOf(entry.about.requestBody)
  const [filled, setFilled] = useState<Filled>({})
  const [body, setBody] = useState(examples[chosen]?.text ?? "")
  const [sending, setSending] = useState(false)
  const [answer, setAnswer] = useState<Answer>()
  const [failure, setFailure] = useState<string>()
  const form = useRef<HTMLFormElement>(null)
  /** How often it was not sent for what is wrong with a field. */
  const [heldBack, setHeldBack] = useState(0)
  const problems = heldBack === 0 ? {} : problemsIn(entry, filled)
  useLayoutEffect(() => {
    if (heldBack > 0) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus()
  }, [heldBack])

  const submit = async (event: Event) => {
    event.preventDefault()
    if (Object.keys(problemsIn(entry, filled)).length > 0) {
      setHeldBack(heldBack + 1)
      return
    }
    setSending(true)
    setFailure(undefined)
    try {
      setAnswer(await send(reference.server, entry, filled, body))
    } catch (error) {
      setAnswer(undefined)
      setFailure(`No answer: ${String(error)}`)
    } finally {
      setSending(false)
    }
  }

  return (
    <Dialog kind="test-request" label={`Test request: ${entry.title}`} close={close}>
      <form ref={form} onSubmit={submit}>
        <header>
          <h2>{entry.title}</h2>
          <button type="button" class="plain" onClick={({ currentTarget }) => currentTarget.closest("dialog")?.close()}>
            Close
          </button>
        </header>
        <p class="address">
          <Method of={entry.method} /> <code>{addressOf(reference.server, entry, filled)}</code>
        </p>
        {!isSigned(entry) && <Credentials problems={problems} />}
        {entry.about.parameters?.map((parameter) => (
          <ParameterInput
            key={keyOf(parameter)}
            reference={reference}
            parameter={parameter}
            value={filled[keyOf(parameter)] ?? ""}
            problem={problems[keyOf(parameter)]}
            set={(value) => setFilled({ ...filled, [keyOf(parameter)]: value })}
          />
        ))}
        {entry.about.requestBody !== undefined && (
          <>
            {examples.length > 1 && (
              <label>
                <span>Example</span>
                <select onChange={({ currentTarget }) => setBody(examples[Number(currentTarget.value)]?.text ?? "")}>
                  {examples.map(({ title }, at) => (
                    <option key={title} value={at} selected={at === chosen}>
                      {title}
                    </option>
                  ))}
                </select>
              </label>
            )}
            <label>
              <span>Body</span>
              <textarea
                rows={Math.min(16, body.split("\n").length + 1)}
                spellcheck={false}
                value={body}
                onInput={({ currentTarget }) => setBody(currentTarget.value)}
              />
            </label>
          </>
        )}
        <button type="submit" class="main" disabled={sending}>
          {sending ? "Sending" : "Send"}
        </button>
      </form>
      {failure !== undefined && (
        <p role="alert" class="bad">
          {failure}
        </p>
      )}
      {answer !== undefined && <Answered answer={answer} />}
    </Dialog>
  )
}
