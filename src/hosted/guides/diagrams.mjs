/**
 * Draws the Mermaid diagrams of docs/ as SVG: `sequenceDiagram`, and graphs (`flowchart`, `stateDiagram-v2`) as a column
 * of boxes with arcs beside it. A line that is not understood fails the build.
 */
const CHARACTER = 7
const LINE = 18
const PAD = 12
const BOX = 30

export const escape = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const widthOf = (text) => text.length * CHARACTER + 2 * PAD

const label = (x, y, text, anchor = "middle") =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}">${escape(text)}</text>`

const box = (x, y, width, height, kind) =>
  `<rect x="${x - width / 2}" y="${y}" width="${width}" height="${height}" rx="6" class="${kind}"/>`

const named = (x, y, text) => box(x, y, widthOf(text), BOX, "box") + label(x, y + 20, text)

const arrow = (path, isDashed = false) => `<path d="${path}" class="arrow${isDashed ? " dashed" : ""}"/>`

/** `id`: tells apart the arrow heads of several diagrams on a page. */
const picture = (id, source, [left, right], height, parts) => {
  const head = `<marker id="${id}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" class="head"/></marker>`
  const about = source.slice(1).join("; ")
  const drawn = parts.join("").replaceAll('class="arrow', `marker-end="url(#${id})" class="arrow`)
  return `<svg role="img" aria-label="${escape(about)}" viewBox="${left} 0 ${right - left} ${height}" width="${right - left}" height="${height}">${head}${drawn}</svg>`
}

const understood = (line, pattern) => {
  const found = pattern.exec(line)
  if (found === null) throw new Error(`diagrams.mjs does not draw: ${line}`)
  return found
}

const sequence = (id, source) => {
  const lines = source.slice(1)
  const people = lines.flatMap((line) => {
    const [, key, , name = key] = /^participant (\w+)( as (.+))?$/.exec(line) ?? []
    return key === undefined ? [] : [{ key, name }]
  })
  const columnOf = (key) => people.findIndex((one) => one.key === key)
  const steps = lines
    .filter((line) => !line.startsWith("participant "))
    .map((line) => {
      const [, block, about = ""] = /^(alt|else|opt|end)\b ?(.*)$/.exec(line) ?? []
      if (block !== undefined) return { block, about }
      const [, note, text] = /^Note over ([\w,]+): (.+)$/.exec(line) ?? []
      if (note !== undefined) return { note: note.split(",").map(columnOf), text }
      const [, from, dashes, to, said] = understood(line, /^(\w+)(--?)>>(\w+): (.+)$/)
      return { from: columnOf(from), to: columnOf(to), isDashed: dashes === "--", text: said }
    })
  const x = [0]
  for (let column = 1; column < people.length; column++) {
    const needed = steps.flatMap(({ from, text, to }) =>
      Math.max(from, to) === column ? [x[Math.min(from, to)] + widthOf(text)] : []
    )
    const beside = (widthOf(people[column - 1].name) + widthOf(people[column].name)) / 2 + PAD
    x.push(Math.max(x[column - 1] + beside, ...needed))
  }
  const parts = []
  const edges = people.flatMap(({ name }, at) => [x[at] - widthOf(name) / 2, x[at] + widthOf(name) / 2])
  const blocks = []
  let y = BOX + 2 * PAD
  for (const step of steps) {
    if (step.block === "end") {
      const { top, rules } = blocks.pop()
      parts.push(box((x[0] + x.at(-1)) / 2, top, x.at(-1) - x[0] + 8 * PAD, y - top, "frame"), ...rules)
      edges.push(x[0] - 4 * PAD, x.at(-1) + 4 * PAD)
    } else if (step.block !== undefined) {
      if (step.block !== "else") blocks.push({ top: y, rules: [] })
      else blocks.at(-1).rules.push(`<path d="M${x[0] - 4 * PAD} ${y}H${x.at(-1) + 4 * PAD}" class="line"/>`)
      parts.push(label(x[0] - 3 * PAD, y + LINE, `${step.block}: ${step.about}`, "start"))
      y += LINE
    } else if (step.note !== undefined) {
      const ends = step.note.map((column) => x[column])
      const middle = (ends[0] + ends.at(-1)) / 2
      const width = widthOf(step.text)
      parts.push(box(middle, y, width, BOX, "note"), label(middle, y + 20, step.text))
      edges.push(middle - width / 2, middle + width / 2)
      y += BOX
    } else {
      parts.push(label((x[step.from] + x[step.to]) / 2, y + LINE - 4, step.text))
      parts.push(arrow(`M${x[step.from]} ${y + LINE}H${x[step.to]}`, step.isDashed))
      y += LINE
    }
    y += PAD
  }
  const lifelines = x.map((at) => `<path d="M${at} ${BOX}V${y}" class="line"/>`)
  const heads = people.map(({ name }, at) => named(x[at], 1, name))
  return picture(id, source, [Math.min(...edges) - 2, Math.max(...edges) + 2], y + 2, [
    ...lifelines,
    ...heads,
    ...parts
  ])
}

/** Boxes below each other, in the order in which they are named. Arrows to a neighbour are straight, others arcs. */
const graph = (id, source) => {
  const names = new Map()
  const arrows = []
  for (const line of source.slice(1)) {
    const [, key, name] = /^(\w+)\["(.+)"\]$/.exec(line) ?? []
    if (key !== undefined) {
      names.set(key, name)
      continue
    }
    const [, path, about = ""] = understood(line, /^((?:\[\*\]|\w+)(?: --> (?:\[\*\]|\w+))+)(?:: (.+))?$/)
    const keys = path.split(" --> ")
    for (const one of keys) if (one !== "[*]" && !names.has(one)) names.set(one, one)
    for (let at = 1; at < keys.length; at++) arrows.push({ from: keys[at - 1], to: keys[at], about })
  }
  const keys = Array.from(names.keys())
  const step = 2 * BOX
  const half = Math.max(...Array.from(names.values(), widthOf)) / 2
  const edges = [-half, half]
  const parts = Array.from(
    names.values(),
    (name, at) => box(0, at * step + 1, 2 * half, BOX, "box") + label(0, at * step + 21, name)
  )
  for (const { about, from, to } of arrows) {
    if (from === "[*]" || to === "[*]") continue
    const [start, end] = [keys.indexOf(from), keys.indexOf(to)]
    if (end === start + 1) {
      parts.push(arrow(`M0 ${start * step + BOX + 1}V${end * step}`))
      continue
    }
    const side = end > start ? 1 : -1
    const reach = side * (half + 22 * Math.abs(end - start))
    const [high, low] = [start * step + BOX / 2 + side * 6, end * step + BOX / 2 - side * 6]
    parts.push(arrow(`M${side * half} ${high}C${reach} ${high} ${reach} ${low} ${side * half} ${low}`))
    const bulge = side * half + (reach - side * half) * 0.75
    if (about !== "") parts.push(label(bulge + side * 6, (high + low) / 2 + 4, about, side > 0 ? "start" : "end"))
    edges.push(bulge + (about === "" ? 0 : side * widthOf(about)))
  }
  return picture(id, source, [Math.min(...edges) - 4, Math.max(...edges) + 4], keys.length * step - BOX + 4, parts)
}

export const drawDiagram = (id, text) => {
  const source = text.split("\n").map((line) => line.trim())
  return source[0] === "sequenceDiagram" ? sequence(id, source) : graph(id, source)
}
