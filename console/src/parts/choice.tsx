interface Props<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, title: string])[];
  readonly onChange: (value: Value) => void;
  /** Shows the label above; else it is for screen readers alone. */
  readonly showLabel?: boolean;
}

/** The browser's own select: it works by keyboard and on a phone as people there are used to. */
export function Choice<Value extends string>({ label, value, options, onChange, showLabel = false }: Props<Value>) {
  return (
    <label className="field">
      <span className={showLabel ? undefined : 'hidden'}>{label}</span>
      <select className="select" value={value} onChange={(event) => onChange(event.target.value as Value)}>
        {options.map(([option, title]) => (
          <option key={option} value={option}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}
