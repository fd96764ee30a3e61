import {
  script
} from "./lib/shared.js";

var { options, setup, iteration, handleSummary } = script("spike");
var spike_default = iteration;
export {
  spike_default as default,
  handleSummary,
  options,
  setup
};
