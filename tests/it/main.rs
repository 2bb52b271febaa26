//! Tests of the library's own interface that run no fixtures of kernels: the front end's fixtures and messages, hostile
//! programs, faults, printed text, memory that lanes may not touch, halves.

mod clc;
mod contract;
mod faults;
mod half;
mod hints;
mod hostile;
mod lanes;
mod litmus;
mod messages;
mod orders;
mod printf;
