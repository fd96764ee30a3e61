import {
  script
} from "./lib/shared.js";

var { options, setup, iteration, handleSummary } = script("breakpoint");
var breakpoint_default = iteration;
export {
  breakpoint_default as default,
  handleSummary,
  options,
  setup
};
