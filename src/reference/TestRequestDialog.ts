/** Sends an operation to the running server with the values that the reader fills in, and shows the answer. */
import { closeByClickBeside, codeBlock, element, find, methodLabel } from "./Dom.ts"
import type { Parameter } from "../client/generate/OpenApiTypes.ts"
import { type Example, examplesOf, resolved, type Schemas, valueText } from "./OpenApiModel.ts"
import type { OperationEntry } from "./ReferenceContents.ts"
import { type ByParameter, keyOf, needsCredentials, problemsIn, send, type TestResponse, urlOf } from "./TestRequest.ts"

/** The API is served beside this page, below any path. */
const server = new URL("v1", document.baseURI).pathname

const parameterInput = (schemas: Schemas, parameter: Parameter): HTMLElement => {
  const { schema } = resolved(schemas, parameter.schema)
  const problemId = `problem-${parameter.in}-${parameter.name}`
  const common = { name: keyOf(parameter), "aria-invalid": "false", "aria-describedby": problemId }
  const placeholder = valueText(schema.examples?.[0] ?? schema.format ?? "")
  const input =
    schema.enum === undefined
      ? element("input", { ...common, type: "text", autocomplete: "off", spellcheck: "false", placeholder })
      : element(
          "select",
          common,
          element("option", { value: "" }, "not sent"),
          ...schema.enum.map((one) => element("option", {}, valueText(one)))
        )
  const place = parameter.required === true ? `${parameter.in}, required` : parameter.in
  const label = element("span", {}, `${parameter.name} `, element("small", {}, place))
  const problem = element("small", { id: problemId, role: "alert", class: "problem" })
  return element("div", {}, element("label", {}, label, input), problem)
}

const bodyInputs = (examples: ReadonlyArray<Example>, chosen: number): ReadonlyArray<HTMLElement> => {
  const area = element("textarea", { name: "body", spellcheck: "false" })
  const fill = (at: number) => {
    area.value = examples[at]?.text ?? ""
    area.rows = Math.min(16, area.value.split("\n").length + 1)
  }
  fill(chosen)
  const body = element("label", {}, element("span", {}, "Body"), area)
  if (examples.length < 2) return [body]
  const options = examples.map(({ title }, at) => element("option", { selected: at === chosen }, title))
  const choice = element("select", {}, ...options)
  choice.addEventListener("change", () => fill(choice.selectedIndex))
  return [element("label", {}, element("span", {}, "Example"), choice), body]
}

const responseShown = ({ body, headers, millis, ok, status }: TestResponse): HTMLElement =>
  element(
    "section",
    { class: "answer", "aria-label": "Answer" },
    element("p", { role: "status" }, element("strong", { class: ok ? "good" : "bad" }, status), ` in ${millis} ms`),
    ...(body === "" ? [] : [codeBlock("Body of the answer", body)]),
    element("details", {}, element("summary", {}, "Headers of the answer"), codeBlock("Headers of the answer", headers))
  )

/** Returns the function that opens the dialog for an operation, with one example of its body. */
export const setUpTestRequests = () => {
  const dialog = find<HTMLDialogElement>("#test-request")
  const form = find<HTMLFormElement>("form", dialog)
  const outcome = find<HTMLElement>(".outcome", dialog)
  const submit = find<HTMLButtonElement>("[type=submit]", dialog)
  let entry: OperationEntry | undefined
  let isChecked = false

  const valuesIn = (): ByParameter =>
    Object.fromEntries(Array.from(new FormData(form), ([key, one]) => [key, String(one)]))

  const showProblems = (problems: ByParameter): void => {
    for (const field of form.querySelectorAll<HTMLElement>("[aria-invalid]")) {
      const problem = problems[field.getAttribute("name")!]
      field.setAttribute("aria-invalid", String(problem !== undefined))
      document.getElementById(field.getAttribute("aria-describedby")!)!.textContent = problem ?? ""
    }
  }

  const update = (current: OperationEntry): void => {
    const url = element("code", {}, urlOf(server, current, valuesIn()))
    find(".address", form).replaceChildren(methodLabel(current.method), " ", url)
    showProblems(isChecked ? problemsIn(current, valuesIn()) : {})
  }

  const trySend = async (current: OperationEntry): Promise<void> => {
    const values = valuesIn()
    isChecked = true
    update(current)
    const invalid = form.querySelector<HTMLElement>("[aria-invalid=true]")
    if (invalid !== null) return invalid.focus()
    submit.disabled = true
    submit.textContent = "Sending"
    try {
      outcome.replaceChildren(responseShown(await send(server, current, values, values["body"] ?? "")))
    } catch (error) {
      outcome.replaceChildren(element("p", { role: "alert", class: "bad" }, `No answer: ${String(error)}`))
    }
    submit.disabled = false
    submit.textContent = "Send"
    outcome.scrollIntoView({ block: "nearest" })
  }

  form.addEventListener("input", () => entry !== undefined && update(entry))
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    if (entry !== undefined) void trySend(entry)
  })
  find(".close", dialog).addEventListener("click", () => dialog.close())
  closeByClickBeside(dialog)

  return (schemas: Schemas, operation: OperationEntry, chosenExample: number): void => {
    entry = operation
    isChecked = false
    const { parameters = [], requestBody } = operation.about
    find("h2", form).textContent = operation.title
    dialog.setAttribute("aria-label", `Test request: ${operation.title}`)
    find<HTMLElement>(".secrets", form).hidden = !needsCredentials(operation)
    find(".inputs", form).replaceChildren(
      ...parameters.map((one) => parameterInput(schemas, one)),
      ...(requestBody === undefined ? [] : bodyInputs(examplesOf(requestBody), chosenExample))
    )
    outcome.replaceChildren()
    update(operation)
    dialog.showModal()
  }
}
