/** Three significant digits: what a measurement of this kind can carry. */
export function figures(value: number): string {
  return String(Number(value.toPrecision(3)));
}
